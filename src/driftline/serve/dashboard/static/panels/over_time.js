/** The charts of a model over time: error, log loss, class balance, label latency and traffic. */
import { now } from "../api.js";
import { areaChart } from "../charts/areas.js";
import { figure, legend } from "../charts/figure.js";
import { lineChart } from "../charts/line.js";
import { el, replace, table } from "../dom.js";
import { balance, errorField, lines, windowFor } from "../recent.js";
import { brief, count, duration, labelText, loss, moment, number, percent, rate, timeUnit } from "../text.js";

/** Return {node, update}. `update(info, series, alarms)` draws the charts. */
export function overTimePanel(regresses) {
  const name = regresses ? "Absolute error" : "Error";
  const error = figure(name, "Mean over the last labels. Numbered lines are alarms.");
  const logLoss = figure("Log loss", "Mean over the last labels. Lower is better.");
  const classes = figure("Class balance", "Shares of the labels that arrived.");
  const latency = figure("Label latency", "Mean time from a prediction to its label.");
  const traffic = figure("Traffic", "Predictions and labels per second.");
  const alarms = el("section", { class: "panel" });
  const shown = regresses ? [error, latency, traffic] : [error, logLoss, classes, latency, traffic];
  const node = el("div", { class: "grid2" }, shown.map((one) => one.node), alarms);

  return {
    node,
    update(series, raised) {
      const window = Math.max(...series.map((one) => windowFor(one.buckets)), 1);
      const marks = [...raised].sort((a, b) => a.at - b.at);
      const titled = marks.map((one) => ({ at: one.at, title: `error of ${one.contender} has risen` }));
      const write = regresses ? number : percent;
      const drawn = (figureOf, title, part, whole, options) => {
        const found = lines(series, part, whole, window);
        const chart = lineChart({ title, ...found, ...options });
        const last = found.lines.map((line) => options.write(line.values.at(-1)));
        figureOf.draw({ ...chart, legend: legend(found.lines.map((line) => line.name), last) });
      };
      drawn(error, name, errorField(regresses), "labelled", { percent: !regresses, alarms: titled, write });
      if (!regresses) drawn(logLoss, "Log loss", "log_loss", "judged", { alarms: titled, write: loss });
      const [champion] = series;
      const buckets = champion?.buckets ?? [];
      if (!regresses) classes.draw(balanceChart(buckets));
      latency.draw(latencyChart(buckets, window));
      traffic.draw(trafficChart(champion));
      replace(alarms, el("h2", {}, "Alarms"), alarmTable(marks, write));
    },
  };
}

function balanceChart(buckets) {
  const found = balance(buckets);
  const named = found.lines.map((line) => ({ ...line, name: labelText(line.name) }));
  return { ...areaChart({ title: "Class balance", at: found.at, lines: named }), legend: legend(named.map((line) => line.name)) };
}

function latencyChart(buckets, window) {
  const found = lines([{ contender: "mean", buckets }], "latency", "waited", window);
  return lineChart({ title: "Label latency", ...found, write: duration, unit: timeUnit });
}

function trafficChart(champion) {
  // the last bucket is still being filled
  const long = (bucket) => bucket.seconds ?? champion.seconds;
  const buckets = (champion?.buckets ?? []).filter((bucket) => bucket.start + long(bucket) <= now());
  const per = (field) => buckets.map((bucket) => bucket[field] / long(bucket));
  const found = [
    { name: "predictions", values: per("asked") },
    { name: "labels", values: per("labelled") },
  ];
  const chart = lineChart({ title: "Traffic", at: buckets.map((bucket) => bucket.start), lines: found, write: rate, none: "No full time span yet. Wait a moment." });
  return { ...chart, legend: legend(["predictions", "labels"]) };
}

function alarmTable(alarms, write) {
  if (!alarms.length) return el("p", { class: "empty" }, "No alarms. A detector watches the error of each contender and reports a rise here.");
  const rows = alarms.map((one, k) => [
    String(k + 1),
    moment(one.at),
    el("bdi", {}, brief(one.contender)),
    `${write(one.before)} to ${write(one.after)}`,
    count(one.since),
    count(one.found),
  ]);
  return table("Alarms", ["no.", "time", "contender", "error rose from", "after label", "found at label"], rows.reverse(), "texts");
}
