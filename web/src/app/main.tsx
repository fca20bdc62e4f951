import "./styles";
import { onRecovered, queryClient, setUp } from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { startDensity } from "@ui/density";
import { startTheme } from "@ui/theme";
import { startTitles } from "@ui/titles";
import { createRoot } from "react-dom/client";
import { features } from "./features";
import { startLanguage } from "./language";
import { createAppRouter } from "./router";

startTheme();
startDensity();
startTitles();
setUp();
await startLanguage();
const router = createAppRouter(features);
onRecovered(() => {
	void queryClient.invalidateQueries();
	void router.invalidate();
});
createRoot(document.getElementById("root")!).render(
	<QueryClientProvider client={queryClient}>
		<RouterProvider router={router} />
	</QueryClientProvider>,
);
