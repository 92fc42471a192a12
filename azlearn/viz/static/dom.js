// Markup with holes: the source of a template is markup; the value in a hole becomes text, the value
// of an attribute or another template, but never markup. So no label, name or number in a record can
// add an element or a handler.

const MARK = "\u2063";              // surrounds the number of a hole; occurs in no source
const STYLE = "data-style";         // replaces the style attribute, which a page's policy forbids
const compiled = new WeakMap();

class Markup {
  constructor(strings, values, isSvg) {
    Object.assign(this, { strings, values, isSvg });
  }
}

// html`<b title="${name}">${text}</b>`. A hole for content takes text, a template, or a list of these;
// null, undefined, false and "" add nothing. If the whole value of an attribute is one hole, null,
// undefined and false omit the attribute. A hole in place of an attribute takes {name: value, …}.
export const html = (strings, ...values) => new Markup(strings, values, false);

// The same for the content of an <svg>.
export const svg = (strings, ...values) => new Markup(strings, values, true);

// The text of a template, without its tags.
export const textOf = content => (content instanceof Markup
  ? content.strings.map((part, k) => part + textOf(content.values[k] ?? "")).join("").replace(/<[^>]*>/g, " ")
  : Array.isArray(content) ? content.map(textOf).join("") : String(content));

// A list with a separator between its items.
export const joined = (list, between) => list.flatMap((item, k) => (k ? [between, item] : [item]));

// Sets the content of an element; true if that changed it. The element's `put` stores the content.
export function put(host, content) {
  if (host.put !== undefined && same(host.put, content)) return false;
  host.replaceChildren(...nodes(content));
  host.put = content;
  return true;
}

// The first element of a template.
export const element = markup => build(markup).firstElementChild;

function same(a, b) {
  if (Object.is(a, b)) return true;
  if (!a || !b || typeof a !== "object" || typeof b !== "object") return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every(key => same(a[key], b[key]));
}

function nodes(content) {
  if (content === null || content === undefined || content === false || content === "") return [];
  if (Array.isArray(content)) return content.flatMap(nodes);
  return [content instanceof Markup ? build(content) : String(content)];
}

function build(markup) {
  if (!compiled.has(markup.strings)) compiled.set(markup.strings, compile(markup));
  const { content, holes } = compiled.get(markup.strings), made = document.importNode(content, true);
  const places = holes.map(({ path }) => path.reduce((node, k) => node.childNodes[k], made));
  holes.forEach(({ name, parts }, k) => fill(places[k], name, parts, markup.values));
  return made;
}

function fill(node, name, parts, values) {
  const one = parts.length === 3 && !parts[0] && !parts[2];
  const value = one ? values[parts[1]] : parts.map((part, k) => (k % 2 ? values[part] : part)).join("");
  if (name === null) node.replaceWith(...nodes(value));
  else if (name === "") for (const key in value) set(node, key, value[key]);
  else set(node, name, value);
}

function set(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === STYLE) node.style.cssText = value;
  else node.setAttribute(name, value === true ? "" : value);
}

// The source as a template, and its holes: {path to the node, name of the attribute ("": several,
// null: content), parts: text and, at odd indices, the numbers of the holes}.
function compile({ strings, isSvg }) {
  const template = document.createElement("template"), { content } = template, holes = [], source = marked(strings).replaceAll(' style="', ` ${STYLE}="`);
  template.innerHTML = isSvg ? `<svg>${source}</svg>` : source;        // it contains no values
  if (isSvg) content.replaceChildren(...content.firstChild.childNodes);
  const walk = (node, path) => {
    if (node.nodeType === Node.COMMENT_NODE) holes.push({ path, name: null, parts: node.data.split(MARK) });
    for (const { name, value } of node.attributes ? [...node.attributes] : []) {
      const several = name.startsWith(MARK);
      if (!several && !value.includes(MARK) && name !== STYLE) continue;
      holes.push({ path, name: several ? "" : name, parts: (several ? name : value).split(MARK) });
      node.removeAttribute(name);
    }
    node.childNodes.forEach((child, k) => walk(child, [...path, k]));
  };
  walk(content, []);
  return { content, holes };
}

function marked(strings) {
  let inTag = false, quoted = false;
  return strings.map((part, k) => {
    for (const letter of part) {
      if (letter === '"' && inTag) quoted = !quoted;
      else if (!quoted && (letter === "<" || letter === ">")) inTag = letter === "<";
    }
    const mark = MARK + k + MARK;
    return k === strings.length - 1 ? part : part + (quoted ? mark : inTag ? `${mark}=""` : `<!--${mark}-->`);
  }).join("");
}
