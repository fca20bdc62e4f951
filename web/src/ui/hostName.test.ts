import { expect, test } from "vitest";
import { ascii } from "./hostName";

test.each([
	["shop.example.com", "shop.example.com"],
	["shöp.example.com", "xn--shp-tna.example.com"],
	["*.Shöp.example.com", "*.xn--shp-tna.example.com"],
	["shöp", "xn--shp-tna"],
	["a/ö", "a/ö"],
	["Grüße an alle", "Grüße an alle"],
])("%s is stored as %s", (typed, stored) => expect(ascii(typed)).toBe(stored));
