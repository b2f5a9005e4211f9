"""The style sheet of all pages, for light and dark, wide and narrow screens, and print."""

from __future__ import annotations

from driftline.report.charts import palette

LIGHT = "--page:#ffffff;--panel:#f6f7f9;--text:#1b1f27;--soft:#59616e;--rule:#dfe3e8;--bar:#b9b9e8;--alarm:#b3261e;" + (
    palette.variables(palette.LIGHT)
)
DARK = "--page:#14171c;--panel:#1c2027;--text:#e8eaee;--soft:#a3acb9;--rule:#333a44;--bar:#3d5483;--alarm:#ff8a80;" + (
    palette.variables(palette.DARK)
)

SHEET = f"""
:root{{color-scheme:light dark;{LIGHT}}}
@media screen and (prefers-color-scheme:dark){{:root{{{DARK}}}}}
*{{box-sizing:border-box}}
html{{-webkit-text-size-adjust:100%}}
body{{margin:0;background:var(--page);color:var(--text);font:16px/1.55 system-ui,sans-serif;overflow-wrap:anywhere}}
main{{max-width:1380px;margin:0 auto;padding:28px 28px 64px}}
header{{margin-bottom:8px}}
h1{{font-size:1.9rem;line-height:1.2;margin:0 0 10px;letter-spacing:-.01em}}
h2{{font-size:1.35rem;line-height:1.3;margin:0 0 8px}}
p{{margin:0 0 14px;max-width:92ch}}
.note{{max-width:none}}
.lead{{font-size:1.05rem}}
.versions,.note{{color:var(--soft);font-size:.86rem}}
nav{{margin:0 0 6px}}
nav a{{display:inline-block;margin:0 18px 6px 0;color:inherit}}
section{{border-top:1px solid var(--rule);margin-top:34px;padding-top:26px}}
.charts{{display:grid;grid-template-columns:1fr 1fr;gap:18px;margin:20px 0 6px}}
figure{{margin:0;min-width:0;background:var(--panel);border-radius:10px;padding:16px 18px 12px}}
figcaption{{font-weight:600;margin-bottom:10px}}
.chart,.narrow{{display:block;width:100%;height:auto;max-width:820px;overflow:visible;font-family:inherit}}
.narrow{{display:none;max-width:460px}}
.chart text,.narrow text{{fill:var(--text);font-size:12.5px}}
.narrow text{{font-size:12px}}
.chart .tick,.chart .axis,.narrow .tick,.narrow .axis{{fill:var(--soft)}}
.tick,.key,td{{font-variant-numeric:tabular-nums}}
.key{{font-weight:600}}
.chart path,.narrow path{{fill:none}}
.alarm path{{stroke:var(--alarm);stroke-width:1.3;stroke-opacity:.75}}
.chart .alarm text,.narrow .alarm text{{fill:var(--alarm);font-size:11px;font-weight:600}}
.grid{{stroke:var(--rule)}}
.base{{stroke:var(--soft)}}
.mark{{stroke:var(--soft);stroke-dasharray:1 4;stroke-width:1.4}}
.reference{{stroke:var(--soft);stroke-width:1.4}}
.halo{{paint-order:stroke;stroke:var(--panel);stroke-width:4px;stroke-linejoin:round}}
path.line{{stroke:var(--ink);stroke-width:1.8;stroke-dasharray:var(--dash);stroke-linejoin:round}}
.dot{{fill:var(--ink)}}
.line{{transition:opacity .12s}}
.heat{{display:block;max-width:100%;height:auto;font-family:inherit}}
.heat text{{fill:var(--text);font-size:12.5px;font-variant-numeric:tabular-nums}}
.heat .axis{{fill:var(--soft)}}
.heat rect{{fill:var(--c0);stroke:var(--panel);stroke-width:2}}
.heat .least{{stroke:var(--text)}}
.strip{{display:block;width:100%;max-width:460px;height:auto;font-family:inherit}}
.strip text{{fill:var(--text);font-size:13px;font-variant-numeric:tabular-nums}}
.strip .tick,.strip .axis{{fill:var(--soft)}}
.strip path{{fill:none}}
.strip rect{{fill:var(--ink,var(--c0));shape-rendering:crispEdges}}
.strip .other,.block{{--ink:var(--soft)}}
li[class] .block{{--ink:inherit}}
.block{{flex:none;width:22px;height:12px;border-radius:2px;background:var(--ink)}}
.leader{{stroke:var(--ink);stroke-width:1.2}}
.far,path.bridge{{stroke-dasharray:1 4;stroke-width:1.2}}
.legend{{list-style:none;margin:14px 0 18px;padding:0;display:grid;gap:4px 16px;
grid-template-columns:repeat(auto-fill,minmax(212px,1fr));font-size:.88rem}}
.legend li{{display:flex;align-items:center;gap:8px;min-width:0;border-radius:5px;cursor:default}}
.legend .long{{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}}
.number{{display:inline-block;min-width:1.5em;text-align:right;font-weight:600;font-variant-numeric:tabular-nums}}
.swatch{{flex:none;width:34px;height:8px;vertical-align:middle;margin-right:8px}}
.legend .swatch{{margin-right:0}}
.unnumbered{{display:inline-block;width:calc(1.5em + 46px)}}
.swatch path{{stroke:var(--ink);stroke-width:2.6;stroke-dasharray:var(--dash)}}
.own{{display:none}}
.own .long{{white-space:normal}}
.legend li:hover,tbody tr:hover{{background:var(--rule)}}
:focus-visible{{outline:2px solid var(--c0);outline-offset:2px}}
.scroll{{overflow-x:auto;margin:10px 0}}
table{{border-collapse:separate;border-spacing:0;font-size:.88rem;white-space:nowrap;overflow-wrap:normal}}
caption{{text-align:left;white-space:normal;overflow-wrap:anywhere;color:var(--soft);padding:0 0 6px}}
th,td{{padding:4px 0 4px 26px;text-align:right;font-weight:400}}
th:first-child{{padding-left:0;text-align:left}}
.head{{display:inline-block;width:max-content;max-width:26em;white-space:normal;overflow-wrap:anywhere}}
.tag{{white-space:nowrap}}
thead th{{color:var(--soft);vertical-align:bottom}}
tbody th,tbody td{{border-top:1px solid var(--rule)}}
.facts{{white-space:normal;max-width:100%}}
.facts th{{padding-right:26px;vertical-align:top;color:var(--soft)}}
.facts td{{padding-left:0;text-align:left;overflow-wrap:anywhere}}
td:has(.bar){{min-width:calc(var(--track) + 8.2em);--track:7em}}
td.text,thead th.text{{text-align:left}}
td.text{{white-space:normal;min-width:26em}}
.best{{font-weight:700}}
.meaning{{display:block;color:var(--soft);font-size:.8rem;line-height:1.3}}
.baseline{{font-style:italic;color:var(--soft)}}
.tiles{{display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:12px;margin:14px 0 18px}}
.tiles div{{background:var(--panel);border-radius:10px;padding:12px 16px}}
.tiles dt{{color:var(--soft);font-size:.86rem}}
.tiles dd{{margin:0;color:var(--soft);font-size:.82rem;line-height:1.35}}
.tiles dt+dd{{color:var(--text);font-size:1.7rem;line-height:1.3;font-weight:650;font-variant-numeric:tabular-nums}}
.result{{display:flex;flex-wrap:wrap;gap:14px 34px;align-items:flex-start}}
.result>*{{min-width:0;max-width:100%}}
.confusion{{padding:14px 18px}}
.matrix{{border-spacing:3px}}
.matrix td,.matrix th{{border:0;padding:5px 10px}}
.matrix thead th{{text-align:right}}
.matrix th:first-child{{text-align:left}}
.matrix .right,.matrix .wrong{{border-radius:4px;min-width:5.2em;
background:color-mix(in srgb,var(--tint) calc(var(--share)*45%),var(--page))}}
.right{{--tint:var(--c0)}}
.wrong{{--tint:var(--alarm)}}
.confusion .note{{margin:6px 0 0;max-width:30ch}}
.matrix .head{{max-width:14em}}
.matrix [colspan]{{text-align:left!important}}
.result .note{{max-width:66ch}}
.result th,.result td{{padding-left:19px}}
.result th:first-child{{padding-left:0}}
.result .matrix td,.result .matrix th{{padding:5px 10px}}
.bar{{display:flex;align-items:center;justify-content:space-between;gap:10px}}
.bar i{{flex:none;width:calc(var(--track)*var(--share));height:.75em;border-radius:2px;background:var(--bar)}}
code{{font:.8rem/1.4 ui-monospace,monospace;color:var(--soft)}}
details{{margin:6px 0 2px;font-size:.9rem}}
summary{{cursor:pointer;color:var(--soft)}}
@media (max-width:1040px){{.charts{{grid-template-columns:1fr}}td:has(.bar){{--track:4em}}}}
@media (max-width:640px){{
main{{padding:20px 16px 48px}}
h1{{font-size:1.55rem}}
figure{{margin:0 -16px;border-radius:0;padding:14px 12px 10px 14px}}
.chart{{display:none}}
.narrow{{display:block}}
.tiles{{grid-template-columns:1fr 1fr;gap:8px}}
.tiles div{{padding:10px 12px}}
.tiles dt+dd{{font-size:1.4rem}}
.result{{display:block}}
.result>figure{{max-width:none}}
.result th,.result td{{padding-left:12px}}
.legend{{grid-template-columns:1fr 1fr;gap:6px 10px;font-size:.82rem}}
.own{{display:grid}}
.legend li{{gap:5px}}
.legend .swatch{{width:22px}}
.number{{min-width:1.3em}}
table{{font-size:.82rem}}
th,td{{padding-left:12px}}
thead th{{white-space:normal}}
td.text{{white-space:nowrap}}
.bar{{justify-content:flex-end}}
.bar i,table .swatch{{display:none}}
.unnumbered{{width:1.6em}}
td:has(.bar){{min-width:0}}
caption{{max-width:calc(100vw - 32px)}}
.head{{max-width:12.6em}}
.matrix .head{{max-width:8em}}
tbody th,thead th:first-child{{position:sticky;left:0;background:var(--page);padding-right:8px}}
figure tbody th,figure thead th:first-child{{background:var(--panel)}}
}}
@media (prefers-reduced-motion:reduce){{.line{{transition:none}}}}
@media print{{
:root{{color-scheme:light}}
main{{max-width:none;padding:0}}
figure,tr{{break-inside:avoid}}
.scroll{{overflow:visible}}
table{{font-size:.68rem;white-space:normal}}
th,td{{padding-left:7px}}
thead th{{overflow-wrap:anywhere}}
.head{{max-width:10em}}
td{{overflow-wrap:anywhere}}
td.text{{min-width:0}}
td.text code{{font-size:.6rem;overflow-wrap:anywhere}}
.bar i,table .swatch{{display:none}}
td:has(.bar){{min-width:0}}
.bar{{justify-content:flex-end}}
}}
"""


def style_sheet(lines: int) -> str:
    """Return the style sheet of a page with up to ``lines`` lines in a chart."""
    return SHEET + palette.css(lines) + "\n"
