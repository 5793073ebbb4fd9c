/** Rows of texts in columns: the first to the left, the others to the right, the head underlined. */
export function table(head, rows) {
  const widths = head.map((title, i) => Math.max(...[title, ...rows.map((row) => row[i])].map((text) => text.length)));
  const line = (cells) =>
    cells
      .map((text, i) => (i === 0 ? text.padEnd(widths[i]) : text.padStart(widths[i])))
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '─'.repeat(width)).join('──'), ...rows.map(line)].join('\n');
}

/** The same for Markdown. */
export function markdownTable(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}
