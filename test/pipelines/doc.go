// Package pipelines is a runner of all the network's pipelines for tests: it takes
// the requests of the runner contract, refuses what a real one refuses, remembers
// what it was asked, and answers with media that are real, so that a test that reads
// them must be able to. It runs no model.
//
// It is one HTTP server in the test's own process, with a base address for each
// pipeline. The end-to-end tests name these in aiModels.json; nothing shipped
// imports it.
package pipelines
