// Package devices keeps a media worker on each GPU that the operator asked for: it
// starts one when a card shows, tests what the card can do, offers it for placement,
// takes it away when the driver loses it or reports that it failed, and tries again
// with growing pauses. A card that is broken never keeps the node from starting, and
// never takes another card along.
//
// What cards have in common it divides between them: the encoders that the driver of
// consumer cards permits on the whole machine, counted once before any card has
// streams, and the processor where it encodes for several cards.
//
// It reads the cards from a gpu.Inventory and starts workers through a function;
// placement is transcoder/pool's.
package devices
