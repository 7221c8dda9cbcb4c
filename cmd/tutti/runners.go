package main

import (
	"log/slog"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/server/h1"
)

// runnerEntries are the models file's entries as the manager takes them.
func runnerEntries(list *models.Config, verbose bool) []manager.Entry {
	entries := manager.Entries(list)
	for i := range entries {
		if verbose && entries[i].URL == "" {
			entries[i].Env = append(entries[i].Env, models.NewSetting("VERBOSE_LOGGING", "1"))
		}
	}
	return entries
}

// runners makes the clients of runners, which share their connections.
func runners(log *slog.Logger) manager.Backends {
	transport := h1.New(h1.Options{})
	return func(e *manager.Entry, url string) (backend.Backend, error) {
		return backend.New(backend.Options{
			URL: url, Token: e.Token, Model: e.Model.ID, Served: e.ServedModel, Pipeline: e.Model.Capability,
			Transport: transport, Log: log,
		})
	}
}
