// Package nvml asks NVIDIA's management library for the machine's GPUs and what
// they do. It is the only importer of go-nvml, and runs only in the process
// `tutti gpu-watch`, which holds nothing: the library of a broken driver may hang
// or take its process along.
//
// It decides nothing: which devices are used, and what an error means for the
// operator, is transcoder/gpus' business, which reads what this package reports.
//
// A call of go-nvml for a function that the library does not have ends the process
// ("symbol lookup error"), as does any call before the library is loaded. So a
// Reader exists only after the library was loaded and initialized, and each call is
// made only if its symbol was found.
package nvml
