// What is checked of every page, whatever it shows: accessibility, and a picture for human eyes.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PICTURES = fileURLToPath(new URL("../pictures", import.meta.url));

// Rule, and the elements that break it: short enough to read in a failed assertion.
export async function violations(page) {
  // Evaluated, not added as a script element, which the page's content security policy refuses.
  await page.evaluate(AXE);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map(({ id, nodes }) =>
    `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} (${failureSummary.split("\n")[1]?.trim()})`).join(" | ")}`);
}

// Pages must fit their window: only tables and code scroll sideways, within their own frame.
export const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

export async function picture(page, name) {
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true, animations: "disabled" });
}
