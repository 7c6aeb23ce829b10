// A Space from the first click to the last, in a real JupyterLab, while others look on.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, openPerson } from "./support/browser.mjs";
import { act, hasStatus, isLive, kubectl, rowOf, signIn, spacePath, TEAM_A, until } from "./support/portal.mjs";
import { Stack } from "./support/stack.mjs";

const SPACE = "first-flight";
const FILE = "notes.ipynb";
const NOTEBOOK = {
  cells: [{ cell_type: "markdown", id: "a", metadata: {}, source: "Kept while the Space is stopped." }],
  metadata: {}, nbformat: 4, nbformat_minor: 5,
};
// The first start on a machine installs JupyterLab: minutes on a slow line.
const FIRST_START_MS = 300_000;

let stack, browser, owner, colleague, stranger;

before(async () => {
  stack = await Stack.start({ sandbox: ["--empty", "--pace", "0", "--runtime", "jupyter"] });
  browser = await openBrowser();
  [owner, colleague, stranger] = await Promise.all(Array.from({ length: 3 }, () => openPerson(browser, stack)));
  await signIn(owner.page, "ds-a1");
  await signIn(colleague.page, "ds-a2");
  await signIn(stranger.page, "ds-b1");
  await Promise.all([owner, colleague, stranger].map(({ page }) => isLive(page)));
});

after(async () => {
  await browser?.close();
  await stack?.stop();
});

// The tab that "Open" makes, once JupyterLab has drawn its launcher or its open documents.
async function openLab() {
  const arrival = owner.context.waitForEvent("page");
  await owner.page.getByRole("button", { name: "Open", exact: true }).click();
  const lab = await arrival;
  lab.setDefaultTimeout(60_000);
  await lab.waitForURL(/\.spaces\.localhost:/);
  await lab.getByRole("menubar", { name: /main/i }).or(lab.locator("#jp-MainMenu")).first().waitFor();
  return lab;
}

// JupyterLab's own contents interface, with the cookies of the tab.
const contents = (lab, method, body) =>
  lab.evaluate(async ([file, method, body]) => {
    const xsrf = document.cookie.match(/_xsrf=([^;]+)/)?.[1] ?? "";
    const headers = { "Content-Type": "application/json", "X-XSRFToken": xsrf };
    const root = JSON.parse(document.getElementById("jupyter-config-data").textContent).baseUrl;
    const answer = await fetch(`${root}api/contents/${file}`, { method, headers, body: body && JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  }, [FILE, method, body]);

test("a data scientist fills in the form, and the Space runs", async () => {
  const { page } = owner;
  await page.getByRole("link", { name: "Create Space" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill(SPACE);
  await page.getByText("The cluster would accept this.").waitFor();
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.waitForURL(`**${spacePath(SPACE)}`);
  await page.getByText("Running", { exact: true }).first().waitFor({ timeout: FIRST_START_MS });
});

test("a colleague's browser and kubectl see it, another team does not", async () => {
  await rowOf(colleague.page, SPACE).getByText("Running", { exact: true }).waitFor();
  const listed = await kubectl(stack, "ds-a2", "get", "workspaces", "-n", TEAM_A.namespace, "-o", "name");
  assert.match(listed, new RegExp(`/${SPACE}\\n`));
  await isLive(stranger.page);
  await stranger.page.getByRole("heading", { name: "No Spaces yet" }).waitFor();
  assert.equal(await stranger.page.getByText(SPACE).count(), 0);
  await assert.rejects(kubectl(stack, "ds-b1", "get", "workspace", SPACE, "-n", TEAM_A.namespace), /Forbidden/);
  const answer = await stranger.page.request.get(
    `/api/v1/clusters/${TEAM_A.cluster}/namespaces/${TEAM_A.namespace}/spaces/${SPACE}`);
  assert.ok([403, 404].includes(answer.status()), `answered ${answer.status()}`);
});

test("a notebook saved in JupyterLab is still there after a stop and a start", async () => {
  const lab = await openLab();
  const saved = await contents(lab, "PUT", { type: "notebook", format: "json", content: NOTEBOOK });
  assert.equal(saved.status, 201);
  await lab.close();

  await act(owner.page, "Stop");
  await hasStatus(owner.page, "Stopped");
  await rowOf(colleague.page, SPACE).getByText("Stopped", { exact: true }).waitFor();
  const pods = () => kubectl(stack, "ds-a1", "get", "pods", "-n", TEAM_A.namespace, "-o", "name");
  await until(pods, (names) => !names.includes(SPACE));

  await act(owner.page, "Start");
  await hasStatus(owner.page, "Running");
  await rowOf(colleague.page, SPACE).getByText("Running", { exact: true }).waitFor();
  const again = await openLab();
  const kept = await contents(again, "GET");
  assert.equal(kept.status, 200);
  assert.equal(kept.body.content.cells[0].source, NOTEBOOK.cells[0].source);
  // Where the person sees it, too.
  await again.getByRole("listitem", { name: new RegExp(`^Name: ${FILE}`) }).waitFor();
  await again.close();
});

test("kubectl stops it, and the open page shows so by itself", async () => {
  const patch = JSON.stringify({ spec: { desiredStatus: "Stopped" } });
  await kubectl(stack, "ds-a1", "patch", "workspace", SPACE, "-n", TEAM_A.namespace, "--type=merge", "-p", patch);
  await hasStatus(owner.page, "Stopped");
});

test("deleting takes the name typed out, and then the Space is gone everywhere", async () => {
  const { page } = owner;
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const go = page.getByRole("dialog").getByRole("button", { name: /^Delete/ });
  assert.equal(await go.getAttribute("aria-disabled"), "true");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await act(page, "Delete", SPACE);
  await page.getByRole("link", { name: "Spaces" }).first().click();
  await page.getByRole("heading", { name: "No Spaces yet" }).waitFor();
  await colleague.page.getByRole("heading", { name: "No Spaces yet" }).waitFor();
  const gone = () => kubectl(stack, "ds-a1", "get", "workspaces,pvc", "-n", TEAM_A.namespace, "-o", "name");
  await until(gone, (names) => !names.includes(SPACE));
});

test("nobody's console complained", () => {
  assert.deepEqual([owner, colleague, stranger].flatMap(({ complaints }) => complaints), []);
});
