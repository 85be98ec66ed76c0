#!/usr/bin/env node
import { runNodeJs } from "@bufbuild/protoplugin";
import { clientPlugin } from "./plugin.ts";

runNodeJs(clientPlugin);
