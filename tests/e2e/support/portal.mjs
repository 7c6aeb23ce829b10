// What people do in the portal, in the words and roles they see. Waits for conditions, never for time.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export const TEAM_A = { cluster: "sandbox", namespace: "hyperpod-ns-team-a" };

export const spacePath = (name, { cluster, namespace } = TEAM_A) =>
  `/clusters/${cluster}/namespaces/${namespace}/spaces/${name}`;

// From the first page, as everybody: the session cookie is the browser's.
export async function signIn(page, persona) {
  await page.goto("/");
  await page.getByRole("button", { name: new RegExp(`^(\\S+ )?${persona}\\b`) }).click();
  await page.getByRole("heading", { level: 1, name: "Spaces" }).waitFor();
}

export const rowOf = (page, name) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });

export const isLive = (page) => page.getByRole("status").filter({ hasText: /^(Live|实时)$/ }).waitFor();

// The badge at the head of a Space's page.
export const hasStatus = (page, word) =>
  page.locator("section").filter({ has: page.getByRole("heading", { name: "Start-up" }) })
    .locator("header").getByText(word, { exact: true }).waitFor({ timeout: 120_000 });

// Presses an action of a Space's page, and the same word in the dialog that asks.
export async function act(page, action, confirmation) {
  await page.getByRole("button", { name: action, exact: true }).click();
  const dialog = page.getByRole("dialog");
  const go = dialog.getByRole("button", { name: new RegExp(`^${action}`) });
  if (confirmation !== undefined) await dialog.getByLabel(`Type ${confirmation} to confirm`).fill(confirmation);
  await go.click();
  await dialog.waitFor({ state: "hidden" });
}

// As that person's own kubeconfig says.
export async function kubectl(stack, persona, ...args) {
  const config = join(stack.dir, "kubeconfig", `${persona}.yaml`);
  const { stdout } = await run("kubectl", ["--kubeconfig", config, ...args]);
  return stdout;
}

// Asks again until `holds` is true; the last answer goes into the message when it never becomes so.
export async function until(ask, holds, deadlineMs = 30_000) {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const answer = await ask().catch((error) => error);
    if (!(answer instanceof Error) && holds(answer)) return answer;
    if (Date.now() > end) throw new Error(`still not so after ${deadlineMs} ms: ${answer}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
