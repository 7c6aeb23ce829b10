// The portal goes away and comes back; websockets are blocked: nothing typed is lost, and old data never looks fresh.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, openPerson } from "./support/browser.mjs";
import { isLive, kubectl, rowOf, signIn, TEAM_A } from "./support/portal.mjs";
import { Stack } from "./support/stack.mjs";

let stack, browser;

before(async () => {
  stack = await Stack.start({ sandbox: ["--pace", "0", "--runtime", "simulated"] });
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await stack?.stop();
});

// A fresh document has no mark: it tells a page that went on from one that was loaded again.
const mark = (page) => page.evaluate(() => { globalThis.notReloaded = true; });
const isTheSamePage = (page) => page.evaluate(() => globalThis.notReloaded === true);

test("a half-filled form outlives the gateway, and can be sent after it is back", async () => {
  const { page, context } = await openPerson(browser, stack);
  await signIn(page, "ds-a1");
  await isLive(page);
  await page.getByRole("link", { name: "Create Space" }).first().click();
  const [name, display] = [page.getByLabel("Name", { exact: true }), page.getByLabel("Display name")];
  await name.fill("outlives");
  await mark(page);

  await stack.gateway.end("SIGKILL");
  await page.getByRole("status").filter({ hasText: /^Reconnecting/ }).waitFor();
  await display.fill("Typed while nobody listened");
  await page.getByText("No connection to the portal").waitFor();

  await stack.startGateway();
  await isLive(page);
  assert.equal(await name.inputValue(), "outlives");
  assert.equal(await display.inputValue(), "Typed while nobody listened");
  assert.ok(await isTheSamePage(page));
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Typed while nobody listened" }).waitFor();
  await context.close();
});

test("a list that was cut off shows what happened meanwhile, without a reload", async () => {
  const { page, context } = await openPerson(browser, stack);
  await signIn(page, "ds-a1");
  await isLive(page);
  const row = rowOf(page, "feature-store");
  await row.getByText("Running", { exact: true }).waitFor();
  await mark(page);
  await stack.gateway.end("SIGKILL");
  const patch = JSON.stringify({ spec: { desiredStatus: "Stopped" } });
  await kubectl(stack, "ds-a1", "patch", "workspace", "feature-store", "-n", TEAM_A.namespace, "--type=merge", "-p", patch);
  await stack.startGateway();
  await isLive(page);
  await row.getByText("Stopped", { exact: true }).waitFor();
  assert.ok(await isTheSamePage(page));
  await context.close();
});

test("where websockets are blocked the page says that it asks every ten seconds, and does", async () => {
  const { page, context } = await openPerson(browser, stack);
  await page.routeWebSocket(/\/api\/v1\/live/, (socket) => socket.close({ code: 1011 }));
  await signIn(page, "ds-a1");
  await page.getByRole("status").filter({ hasText: /^Every 10 s$/ }).waitFor({ timeout: 30_000 });
  await page.getByText("Websockets are blocked here").waitFor();
  await kubectl(stack, "ds-a1", "delete", "workspace", "outlives", "-n", TEAM_A.namespace);
  await rowOf(page, "outlives").waitFor({ state: "detached", timeout: 30_000 });
  await context.close();
});
