// Package gpus watches the machine's NVIDIA GPUs: which there are, which the
// operator asked for, why some cannot be used, and which problems the others have. It
// is the node's device.Inventory.
//
// The driver's library runs in a process of its own (`tutti gpu-watch`, see
// transcoder/nvml), which this package starts, reads, kills when it hangs, and
// starts again: a broken driver costs readings, never the node. It places nothing
// and transcodes nothing; cmd/tutti runs it and hands it on.
//
// report.go is what the process that watches the driver writes, line by line, and how the node
// reads it. The lines come from a process that runs a vendor's library, so they are read as
// strictly as any foreign input. transcoder/nvml writes them.
package gpus
