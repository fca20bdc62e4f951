import http from "node:http";
import { chromium } from "playwright-core";
import { executable } from "./lib/chromium.mjs";
const browser = await chromium.launch({ executablePath: executable, args:["--no-sandbox"] });
const ctx = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 900 } });
const page = await ctx.newPage();
page.setDefaultTimeout(6000);
const B = "https://127.0.0.1:3443";
const T = (n=4000) => page.evaluate((n) => document.body.innerText.slice(0, n), n);
const shot = (n, full=false) => page.screenshot({ path: `/root/op/${n}.png`, fullPage: full });
const go = async (p) => { await page.goto(B + p); await page.waitForTimeout(900); };
const main = (n=4000) => page.evaluate((n) => (document.querySelector("[role=dialog]")??document.querySelector("main")??document.body).innerText.replace(/\n+/g,"\n").slice(0,n), n);
const sleep = (ms) => page.waitForTimeout(ms);
const api = (m, p, b, h={}) => page.evaluate(async ([m,p,b,h]) => { const r = await fetch("/api/v1"+p,{method:m,headers:{"Content-Type":"application/json",...h},body:b?JSON.stringify(b):undefined}); return [r.status, await r.text()]; }, [m,p,b,h]);
const btn = (n, exact=false) => page.getByRole("button", { name: n, exact }).first();
const link = (n) => page.getByRole("link", { name: n }).first();
const lab = (n) => page.getByLabel(n).first();
const AF = Object.getPrototypeOf(async function(){}).constructor;
http.createServer(async (q, s) => {
  let c = ""; for await (const d of q) c += d;
  if (c.trim() === "quit") { s.end("bye"); await browser.close(); process.exit(0); }
  let out = [];
  try {
    const f = new AF("page","B","T","shot","go","main","sleep","api","btn","link","lab","log", c);
    const r = await f(page,B,T,shot,go,main,sleep,api,btn,link,lab,(x)=>out.push(typeof x==="string"?x:JSON.stringify(x)));
    if (r !== undefined) out.push(typeof r === "string" ? r : JSON.stringify(r));
  } catch (e) { out.push("ERR " + e.message.slice(0,600)); await shot("err").catch(()=>{}); out.push(await main(1500).catch(()=>"")); }
  s.end(out.join("\n") + "\n");
}).listen(7799, "127.0.0.1");
