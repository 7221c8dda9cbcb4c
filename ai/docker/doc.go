// Package docker runs AI runners in containers through the Docker Engine's API:
// it fetches images, makes containers with GPUs, ports and the models' directory,
// looks after those that an earlier run left behind, and says in the node's own
// codes what the engine means.
//
// Which models run, when they start and when they are stopped is not decided
// here, nor is a container ever restarted: ai/manager does that, and is told of
// containers that end. What is inside a container is the back-end's business.
package docker
