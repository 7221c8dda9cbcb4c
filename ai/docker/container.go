package docker

import (
	"context"
	"errors"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/core/fault"
)

// stopGrace is how long a runner may take to end by itself.
const stopGrace = 8 * time.Second

// Created is the result of Create.
type Created struct {
	ID ID
	// Missing names the restrictions that this engine cannot enforce.
	Missing []string
}

// Create creates a container with its network and does not start it. It never pulls an
// image.
func (e *Engine) Create(ctx context.Context, s *Spec) (Created, error) {
	const op = "create container"
	inner, ok := s.containerPort()
	if !ok {
		return Created{}, fault.New(fault.ContainerPortConflict, op, "the container's port is not from 1 to 65535")
	}
	limits, err := e.limits(ctx, s)
	if err != nil {
		return Created{}, err
	}
	at := endpoint{containerPort: inner.Num(), hostPort: s.HostPort}
	out := Created{Missing: limits.missing}
	if !s.Permissions.Network {
		at.network, err = e.makeNetwork(ctx, s.Name)
		switch {
		case errors.Is(err, errNotReachable):
			out.Missing = append(out.Missing, "network ("+err.Error()+", so the container can reach other hosts)")
		case err != nil:
			return Created{}, err
		}
	}
	options, _ := s.options(e.owner, at.network, limits)
	e.mark(&options)
	made, err := e.api.ContainerCreate(ctx, options)
	if err != nil {
		e.dropNetwork(context.WithoutCancel(ctx), at.network)
		return Created{}, e.fault(op, err)
	}
	for _, w := range made.Warnings {
		e.log.Warn("the Docker Engine warned about a container", "container", s.Name, "warning", clean(w))
	}
	out.ID = ID(made.ID)
	e.setEndpoint(out.ID, at)
	return out, nil
}

// Start starts a container. It succeeds if the container already runs.
func (e *Engine) Start(ctx context.Context, id ID) error {
	if _, err := e.api.ContainerStart(ctx, string(id), client.ContainerStartOptions{}); err != nil {
		return e.fault("start container", err)
	}
	return nil
}

// Status is a container at one moment.
type Status struct {
	ID    ID
	Name  string
	Image string
	// State is the engine's term: created, running, paused, restarting, removing,
	// exited or dead.
	State string
	// Running: the container's program runs.
	Running bool
	// ExitCode is the program's exit code, 0 until it has ended.
	ExitCode int
	// OOMKilled: the kernel killed the program because main memory ran out.
	OOMKilled bool
	// Error is the engine's error text, "" for none.
	Error string
	// Started and Finished are when the program started and ended, zero if it has not.
	Started, Finished time.Time
}

// Ended reports whether the container's program has ended, or could not be started.
func (s *Status) Ended() bool {
	switch container.ContainerState(s.State) {
	case container.StateExited, container.StateDead, container.StateRemoving:
		return true
	}
	return !s.Running && s.Error != ""
}

// Inspect returns a container's status. The error is ContainerGone if it does not exist.
func (e *Engine) Inspect(ctx context.Context, id ID) (Status, error) {
	got, err := e.api.ContainerInspect(ctx, string(id), client.ContainerInspectOptions{})
	if err != nil {
		return Status{}, e.fault("inspect container", err)
	}
	s := Status{ID: ID(got.Container.ID), Name: trimName(got.Container.Name)}
	if c := got.Container.Config; c != nil {
		s.Image = c.Image
	}
	if st := got.Container.State; st != nil {
		s.State, s.Running, s.ExitCode = string(st.Status), st.Running, st.ExitCode
		s.OOMKilled, s.Error = st.OOMKilled, clean(st.Error)
		s.Started, s.Finished = parseTime(st.StartedAt), parseTime(st.FinishedAt)
	}
	return s, nil
}

// parseTime reads the engine's times, in which the year 1 means never.
func parseTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.Year() <= 1 {
		return time.Time{}
	}
	return t
}

// Stop asks a container's program to end, and kills it after 8 s. It succeeds if the
// container has stopped or does not exist.
func (e *Engine) Stop(ctx context.Context, id ID) error {
	grace := int(stopGrace.Seconds())
	_, err := e.api.ContainerStop(ctx, string(id), client.ContainerStopOptions{Timeout: &grace})
	if err == nil || errdefs.IsNotFound(err) || errdefs.IsNotModified(err) {
		return nil
	}
	return e.fault("stop container", err)
}

// Remove kills and removes a container with its network and its anonymous volumes, and
// waits until it is gone. The models' directory stays. It succeeds if the container does
// not exist.
func (e *Engine) Remove(ctx context.Context, id ID) error {
	if err := e.removeContainer(ctx, id); err != nil {
		return err
	}
	e.dropNetwork(ctx, e.forgetEndpoint(id).network)
	return nil
}

func (e *Engine) removeContainer(ctx context.Context, id ID) error {
	_, err := e.api.ContainerRemove(ctx, string(id), client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	switch {
	case err == nil || errdefs.IsNotFound(err):
		return nil
	case errdefs.IsConflict(err):
		// Another removal is in progress.
		return e.waitRemoved(ctx, id)
	}
	return e.fault("remove container", err)
}

func (e *Engine) waitRemoved(ctx context.Context, id ID) error {
	waiting := e.api.ContainerWait(ctx, string(id), client.ContainerWaitOptions{Condition: container.WaitConditionRemoved})
	// One of the two always arrives: if ctx ends, the request fails.
	select {
	case <-waiting.Result:
		return nil
	case err := <-waiting.Error:
		if errdefs.IsNotFound(err) {
			return nil
		}
		return e.fault("wait for a container's removal", err)
	}
}
