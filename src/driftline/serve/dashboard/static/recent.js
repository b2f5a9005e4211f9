/**
 * Figures of a period, from the buckets of a series. A bucket has the counts of a span of time:
 * {start, seconds, asked, labelled, errors, loss, log_loss, judged, latency, waited, classes}. `latency` is the sum over
 * the labels of tickets. Their number is `waited`; without it, all labels count.
 */

const WINDOWS = [20, 50, 100, 200, 500, 1000, 2000, 5000];
const MOST_POINTS = 500;

/** Return the number of labels over which a chart averages: about a twentieth of them. */
export function windowFor(buckets) {
  const total = sum(buckets, "labelled");
  return WINDOWS.findLast((one) => one * 20 <= total) ?? WINDOWS[0];
}

const counted = (bucket, field) => (field === "waited" ? (bucket.waited ?? bucket.labelled) : bucket[field]);

/** Return the sum of a field. */
export function sum(buckets, field) {
  return buckets.reduce((total, bucket) => total + bucket[field], 0);
}

/**
 * Return for each bucket the mean of `part` over the last `window` counts of `whole`, in whole
 * buckets. It is null before the first count.
 */
export function windowed(buckets, part, whole, window) {
  let [top, bottom, first] = [0, 0, 0];
  return buckets.map((bucket) => {
    top += bucket[part];
    bottom += counted(bucket, whole);
    while (bottom - counted(buckets[first], whole) >= window) {
      top -= buckets[first][part];
      bottom -= counted(buckets[first], whole);
      first += 1;
    }
    return bottom > 0 ? Math.max(0, top) / bottom : null;
  });
}

/** Return the field that holds the errors: regressors sum up absolute errors. */
export const errorField = (regresses) => (regresses ? "loss" : "errors");

/** Return a mean over the last `window` counts; null if there are none. */
export function recent(buckets, part, whole, window) {
  return windowed(buckets, part, whole, window).at(-1) ?? null;
}

/** Return the buckets since the last contender joined: all contenders have seen these examples. */
export function common(series) {
  const start = Math.max(...series.map((one) => one.buckets[0]?.start ?? Infinity));
  return series.map((one) => one.buckets.filter((bucket) => bucket.start >= start));
}

/** Return the predictions per second in the last minute, or in the last two buckets. */
export function traffic({ buckets, seconds }, now, since = 0) {
  const start = Math.floor((now - Math.max(60, 2 * seconds)) / seconds) * seconds;
  const asked = sum(buckets.filter((bucket) => bucket.start >= start), "asked");
  return asked / Math.max(1, now - Math.max(start, since));
}

/**
 * Return {at, lines}: the windowed mean of each contender at the times at which any has a bucket.
 * Between its buckets a line keeps its value.
 */
export function lines(series, part, whole, window) {
  const times = [...new Set(series.flatMap((one) => one.buckets.map((bucket) => bucket.start)))].sort((a, b) => a - b);
  const step = Math.ceil(times.length / MOST_POINTS);
  const at = times.filter((_, k) => (times.length - 1 - k) % step === 0);
  return {
    at,
    lines: series.map((one) => {
      const means = windowed(one.buckets, part, whole, window);
      let k = -1;
      const values = at.map((time) => {
        while (k + 1 < means.length && one.buckets[k + 1].start <= time) k += 1;
        return k < 0 ? null : means[k];
      });
      return { name: one.contender, values };
    }),
  };
}

/** Return {at, lines}: the counts of the most frequent labels over the last buckets, then the others. */
export function balance(buckets, most = 5) {
  const totals = new Map();
  for (const bucket of buckets) for (const [label, n] of bucket.classes) totals.set(label, (totals.get(label) ?? 0) + n);
  const byCount = [...totals.keys()].sort((a, b) => totals.get(b) - totals.get(a));
  const named = byCount.length > most + 1 ? byCount.slice(0, most) : byCount;
  const width = Math.max(1, Math.ceil(buckets.length / 60));
  const kept = buckets.map((_, k) => k).filter((k) => (buckets.length - 1 - k) % width === 0);
  const counts = kept.map((k) => {
    const found = new Map();
    for (const bucket of buckets.slice(Math.max(0, k - width + 1), k + 1)) for (const [label, n] of bucket.classes) found.set(label, (found.get(label) ?? 0) + n);
    return found;
  });
  const all = named.map((label) => ({ name: label, values: counts.map((one) => one.get(label) ?? 0) }));
  const rest = byCount.slice(named.length);
  if (rest.length) all.push({ name: `${rest.length} others`, values: counts.map((one) => rest.reduce((total, label) => total + (one.get(label) ?? 0), 0)) });
  return { at: kept.map((k) => buckets[k].start), lines: all };
}
