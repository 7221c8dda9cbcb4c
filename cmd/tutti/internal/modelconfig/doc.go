// Package modelconfig reads the AI models file as this configuration means it: for the GPUs
// that models may have, with the images that run them. The node, `tutti config check` and
// the doctor decide alike because they all ask here; it starts nothing.
package modelconfig
