# The course in a container. Binder, GitHub Codespaces and VS Code build this file; so can you:
#   docker build --tag azlearn . && docker run --rm --publish 127.0.0.1:8888:8888 azlearn
# Then open the address with the token that JupyterLab prints.
FROM python:3.12-slim-trixie

RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap git gnugo graphviz make \
    && rm -rf /var/lib/apt/lists/*

# Binder sets both, and wants the repository in the home folder of this user.
ARG NB_USER=jovyan
ARG NB_UID=1000
ENV USER=${NB_USER} HOME=/home/${NB_USER}
ENV PATH=${HOME}/.venv/bin:${PATH}
RUN useradd --create-home --uid ${NB_UID} --shell /bin/bash ${NB_USER}
WORKDIR ${HOME}
COPY . ${HOME}
RUN chown -R ${NB_UID}:${NB_UID} ${HOME}
USER ${NB_USER}

# Of two builds of the same version, pip takes the one with a local version, such as 2.13.0+cpu.
ARG TORCH_ARGS="--extra-index-url https://download.pytorch.org/whl/cpu"
RUN PIP_NO_CACHE_DIR=1 make doctor TORCH_ARGS="${TORCH_ARGS}"

EXPOSE 8888
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--port=8888", "--no-browser", "--LabApp.default_url=/lab/tree/notebooks/00_welcome.ipynb"]
