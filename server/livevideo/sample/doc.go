// Package sample is a pipeline of live video that comes with the node, to try and to show live video
// without a GPU: it draws an effect into each segment, in a media worker, on the CPU. It is no model.
//
// It is an inference.Worker of one model, Model, whose sessions read and write the channels of this
// process. Its parameters are {"effect": "edges" | "gray" | "negative" | "none"}.
package sample
