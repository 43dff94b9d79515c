// The page "Try it": urisect explains what is typed, in Pyodide, which is loaded when the page is used.

const field = document.getElementById("try-reference");
const button = document.getElementById("try-explain");
const status = document.getElementById("try-status");
const explanation = document.getElementById("try-explanation");

const STYLES = { 1: "bold", 2: "dim", 31: "red", 32: "green", 33: "yellow" };

let loading = null; // a promise of the Python function

async function load() {
    const files = new URL("../try/", import.meta.url);
    const { loadPyodide } = await import(new URL("pyodide.mjs", files));
    const python = await loadPyodide();
    for (const name of ["urisect.whl", "packages.zip"]) {
        const answer = await fetch(new URL(name, files));
        if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
        python.unpackArchive(await answer.arrayBuffer(), "zip");
    }
    return python.runPython(`
from urisect.cli.explain import draw_explanation
from urisect.explanation import explain

lambda text, width: draw_explanation(explain(text), width)
`);
}

async function explain() {
    if (!loading) {
        status.textContent = "Loading Python …";
        loading = load();
    }
    try {
        const draw = await loading;
        show(draw(field.value.toWellFormed(), width()));
        status.textContent = "";
    } catch (error) {
        loading = null;
        status.textContent = `This page does not work here: ${error.message}`;
    }
}

/** Show text with the control sequences of a terminal; nothing in it becomes markup. */
function show(text) {
    const classes = new Set();
    const pieces = text.split(/\x1b\[(\d+)m/).map((piece, index) => {
        if (index % 2) {
            if (piece === "0") classes.clear();
            else classes.add(`try-${STYLES[piece]}`);
            return "";
        }
        const span = document.createElement("span");
        span.className = [...classes].join(" ");
        span.textContent = piece;
        return span;
    });
    explanation.replaceChildren(...pieces);
    explanation.hidden = false;
}

/** How many characters fit into a line. */
function width() {
    const context = document.createElement("canvas").getContext("2d");
    const style = getComputedStyle(explanation);
    context.font = `${style.fontSize} ${style.fontFamily}`;
    const space = field.parentElement.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return Math.floor(space / context.measureText("0").width);
}

field.addEventListener("input", explain);
field.addEventListener("change", explain);
button.addEventListener("click", explain);
window.addEventListener("resize", () => loading && explain());
