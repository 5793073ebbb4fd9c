const CODE = /(```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]+`)/;
const NOTHING = '\u200b';

/** The same words, notifying nobody: GitHub takes no mention where something stands behind the @. In code it takes none anyway. */
export function quiet(markdown: string): string {
  const parts = markdown.split(CODE);
  return parts.map((part, index) => (index % 2 === 1 ? part : part.replace(/(?<![\w.])@(?=[A-Za-z0-9])/g, `@${NOTHING}`))).join('');
}
