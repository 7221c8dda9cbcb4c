// Package device is what does media work, in domain words: the port between the owners of
// transcoding devices and the pool that places sessions on them, and the node's GPUs: which
// there are, which were asked for, what each is doing, and how much of its memory each owner
// may use.
//
// Media workers for this machine's CPU and GPUs and transcoders on other machines look the same
// to the pool. It holds no rules and asks no driver: transcoder/pool chooses the device of each
// session; transcoder/worker and the remote transcoders of server/remote are devices;
// transcoder/gpus watches the driver from a process of its own and is the Inventory that the
// rest of the node sees; cmd/tutti connects them.
package device
