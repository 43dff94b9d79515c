// Try the laws of the package in Pyodide: node tests/support/pyodide.mjs FOLDER-OF-PYODIDE WHEEL

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, wheel] = process.argv.slice(2).map((path) => resolve(path));
try {
    const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")));
    const pyodide = await loadPyodide();
    pyodide.unpackArchive(new Uint8Array(readFileSync(wheel)), "wheel");
    pyodide.FS.mkdirTree("/project/tests/support");
    for (const name of ["__init__", "support/__init__", "support/printed", "support/sizes", "test_laws"]) {
        pyodide.FS.writeFile(`/project/tests/${name}.py`, readFileSync(new URL(`../${name}.py`, import.meta.url)));
    }
    pyodide.runPython("import sys; sys.path.insert(0, '/project'); from tests.test_laws import main; main()");
} catch (error) {
    console.error(error.message); // not the line that it was raised in, which may be a megabyte long
    process.exitCode = 1;
}
