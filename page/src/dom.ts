// Elements, made so that text stays text: there is no way in here to write HTML.

type Child = Node | string | null;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function get<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

export function swatch(colour: string): HTMLElement {
  const element = make("i", { className: "swatch" });
  element.style.backgroundColor = colour;
  return element;
}
