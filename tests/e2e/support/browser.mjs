// One Chromium for a test file, and people in it: each with cookies, language and theme of their own.
import { chromium } from "playwright-core";

const FLAGS = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"];

export async function openBrowser() {
  const executablePath = process.env.CHROME;
  if (!executablePath) throw new Error("CHROME is not set: run the browser tests by `cargo xtask e2e`");
  // Build machines run as root, where Chromium's own sandbox cannot.
  const args = process.getuid?.() === 0 ? [...FLAGS, "--no-sandbox"] : FLAGS;
  return chromium.launch({ executablePath, args, headless: true });
}

// A person at the portal. `complaints` gathers what the console reports as an error and what the page throws.
export async function openPerson(browser, stack, { locale = "en-US", colorScheme = "light", viewport } = {}) {
  const context = await browser.newContext({
    baseURL: stack.url, locale, colorScheme, viewport: viewport ?? { width: 1440, height: 900 },
  });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  return { context, page, complaints };
}
