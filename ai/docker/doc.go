// Package docker runs AI runners in containers through the Docker Engine's API:
// it pulls images, creates containers with GPUs, ports and the models' directory,
// removes those of an earlier run, and maps the engine's errors to fault codes.
//
// ai/manager decides which models run, starts and stops their containers, and is notified
// of containers that end; this package restarts none. ai/backend talks to the runner
// inside a container.
package docker
