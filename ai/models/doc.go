// Package models reads what an operator wants served: the file aiModels.json or
// the inline list of -aiModels.
//
// It reports all mistakes at once, each with file, line and field, refuses the entries that
// have one and returns the others. It has no side effects: files are read through a
// function that is passed in, and the devices are a list. cmd/tutti calls it once at start and for "tutti config
// check"; ai/manager serves the entries it returns.
package models
