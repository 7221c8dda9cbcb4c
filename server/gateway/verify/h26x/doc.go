// Package h26x reads the headers of H.264 and HEVC video: parameter sets and the
// beginnings of slices, as far as they tell where pictures begin and how large they
// are.
//
// It decodes nothing and keeps nothing between calls; what it cannot read it refuses.
// Package verify counts pictures with it, package sniff looks at sizes.
package h26x
