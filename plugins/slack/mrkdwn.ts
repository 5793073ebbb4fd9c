const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]+`)/;
/** Stands for the asterisks of bold text until single asterisks have become italics. */
const BOLD = '\u0001';

/** Markdown in Slack's own notation. What Slack would read as a mention or a command is shown as it was written. */
export function mrkdwn(markdown: string): string {
  const parts = markdown.replaceAll(BOLD, '').split(CODE);
  return parts.map((part, index) => (index % 2 === 1 ? code(part) : prose(part))).join('');
}

/** Slack reads `<!channel>`, `<@U…>` and `&lt;` in whatever it is sent, code included. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The reverse, for words that come from Slack. */
export function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Slack would show the language behind a fence as a line of the code. */
function code(part: string): string {
  return escaped(part.replace(/^```[\w+#.-]*\n/, '```\n'));
}

function prose(part: string): string {
  return escaped(part)
    .replace(/^(\s*)[-*+]\s+/gm, '$1• ')
    .replace(/^#{1,6}\s+(.+?)\s*#*$/gm, (_, words: string) => `${BOLD}${words.replaceAll('**', '')}${BOLD}`)
    .replace(/!?\[([^\]\n]*)\]\(((?:https?:\/\/|mailto:)[^\s()<>|]+)\)/g, (_, label: string, url: string) => link(url, label))
    .replace(/&lt;(https?:\/\/[^\s<>|&]+)&gt;/g, '<$1>')
    .replace(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, `${BOLD}$2${BOLD}`)
    .replace(/(?<![*\w])\*(?=[^\s*])([^*\n]*?[^\s*])\*(?![*\w])/g, '_$1_')
    .replace(/~~(?=\S)(.+?)(?<=\S)~~/g, '~$1~')
    .replaceAll(BOLD, '*');
}

function link(url: string, label: string): string {
  const words = label.replaceAll('|', ' ').trim();
  return words === '' ? `<${url}>` : `<${url}|${words}>`;
}
