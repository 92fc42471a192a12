"""Self-play, replay and learning wholly on one device, such as a GPU."""
