export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The value that the given share of the values does not exceed. */
export function percentile(values, share) {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

export function quantiles(values) {
  return { p50: percentile(values, 0.5), p99: percentile(values, 0.99) };
}

/** The median of each number in objects of one shape, nested ones included. What is missing in one is left out of its median. */
export function medians(objects) {
  const [first] = objects;
  return Object.fromEntries(
    Object.keys(first).map((key) => {
      const values = objects.map((each) => each[key]).filter((value) => value !== null && value !== undefined);
      if (values.length === 0) return [key, null];
      return [key, typeof values[0] === 'object' ? medians(values) : median(values)];
    }),
  );
}
