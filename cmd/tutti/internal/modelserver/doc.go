// Package modelserver wires the AI part of an orchestrator or AI worker: it reads the models file,
// makes the manager that serves its models on this machine's GPUs, and takes a changed file over.
// Where jobs run is decided by package ai/manager.
package modelserver
