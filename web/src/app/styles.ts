// One place, because the order matters: PatternFly's base, our tokens over it, our own.
import "@patternfly/react-core/dist/styles/base.css";
import "./fonts.css";
import "./theme.css";
import "../ui/ui.css";
import "./shell.css";
import "./navigation.css";
import "./palette.css";
import "./problems.css";
import "./bare.css";
