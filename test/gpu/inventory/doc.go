// Package inventory tests how the node learns of its GPUs on the whole of it: the
// driver's library, which is test/fakegpu's, the process that asks it, and the
// watcher that makes an inventory of what that says. Each part's own rules are tried
// next to it, in transcoder/nvml and transcoder/gpus.
package inventory
