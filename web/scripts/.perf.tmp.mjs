import { launch, open, signIn } from "./browser.mjs";
const b=await launch();
const {page,complaints,context}=await open(b,{width:1440,height:900,base:"http://localhost:18080",fromDist:true});
page.setDefaultTimeout(10000);
await signIn(page,'admin@example.com','correct horse battery');
try{
for (let k=0;k<3;k++){ await page.goto('/'); await page.getByRole('heading',{level:1}).waitFor(); await page.waitForTimeout(1500);
const t0=Date.now(); await page.getByRole('link',{name:'Users'}).click(); await page.getByText('@example.com').nth(3).waitFor(); console.log('first rows',Date.now()-t0,'ms'); }
}catch(e){console.log(String(e).slice(0,300));await page.screenshot({path:'/tmp/gwweb/shots/perf-fail.png'});console.log(complaints);await b.close();process.exit(1)}
await page.evaluate(()=>{window.__f=[];let last=performance.now();const tick=()=>{const n=performance.now();window.__f.push(n-last);last=n;window.__r=requestAnimationFrame(tick)};tick();window.__lt=[];new PerformanceObserver(l=>l.getEntries().forEach(e=>window.__lt.push(e.duration))).observe({entryTypes:['longtask']})});
await page.mouse.move(800,500);
for(let i=0;i<60;i++){await page.mouse.wheel(0,900);await page.waitForTimeout(40)}
await page.waitForTimeout(500);
let f=await page.evaluate(()=>{const f=[...window.__f].sort((a,b)=>b-a);const lt=[...window.__lt].sort((a,b)=>b-a);window.__f.length=0;window.__lt.length=0;return {max:f.slice(0,5),n:f.length,lt:lt.slice(0,5)}});
console.log('wheel',JSON.stringify(f));
const t1=Date.now(); await page.evaluate(()=>{const m=document.getElementById('main');m.scrollTop=m.scrollHeight*0.7}); await page.waitForTimeout(30); await page.waitForFunction(()=>{const r=[...document.querySelectorAll('.gw-table tbody:not(.gw-spacer) tr')];return r.length>5&&r.every(x=>/@/.test(x.textContent))});console.log('jump to 70%',Date.now()-t1,'ms');
await page.screenshot({path:'/tmp/gwweb/shots/perf.png'});
f=await page.evaluate(()=>{const f=[...window.__f].sort((a,b)=>b-a);return {max:f.slice(0,5),lt:[...window.__lt].sort((a,b)=>b-a).slice(0,5),rows:document.querySelectorAll('.gw-table tr').length}});console.log('jump',JSON.stringify(f));
const t2=Date.now(); await page.evaluate(()=>{document.getElementById('main').scrollTop=0}); await page.getByRole('searchbox').fill('user099'); await page.getByText('1,000 entries').waitFor(); console.log('search',Date.now()-t2,'ms');
console.log(complaints); await b.close();
