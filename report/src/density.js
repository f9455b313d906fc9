// The density of a histogram of fine bins by a Gaussian kernel of Silverman's width, mirrored at the ends.
export function density(counts, low, high, { sd, q05, q95 }) {
  const [bins, all] = [counts.length, counts.reduce((sum, count) => sum + count, 0)];
  const width = (high - low) / bins;
  const spread = Math.min(sd, (q95 - q05) / 3.29) || sd; // 3.29 deviations of the normal law
  const kernel = Math.max((0.9 * spread) / all ** 0.2 / width, 0.5); // in bins
  const reach = Math.ceil(4 * kernel);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, k) => Math.exp(-(((k - reach) / kernel) ** 2) / 2));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const mirrored = (i) => {
    const at = ((i % (2 * bins)) + 2 * bins) % (2 * bins);
    return counts[at < bins ? at : 2 * bins - 1 - at];
  };
  const places = Array.from({ length: bins }, (_, i) => low + (i + 0.5) * width);
  return { places, heights: places.map((_, i) => weights.reduce((total, weight, k) => total + weight * mirrored(i + k - reach), 0) / (sum * all * width)) };
}
