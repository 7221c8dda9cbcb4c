package main

import "github.com/tuttinode/tutti/core/adminapi"

// draining and reloaded are what the fake says of itself as a process.
var (
	draining = adminapi.Drain{State: adminapi.DrainDraining, Sessions: 3, Jobs: 1, Stop: true,
		Work: []adminapi.DrainWork{{Kind: "sessions", Count: 2}, {Kind: "AI jobs", Count: 1}, {Kind: "live video", Count: 1}}}
	reloaded = adminapi.Reloaded{Restart: true, Changes: []adminapi.ReloadChange{
		{Option: "maxSessions", Old: "10", New: "20", Source: "/etc/tutti/tutti.conf:3", State: adminapi.ReloadApplied},
		{Option: "orchSecret", Old: "***", New: "***", Source: "flag -orchSecret", State: adminapi.ReloadApplied},
		{Option: "aiModels", Old: "/etc/tutti/aiModels.json", New: "/etc/tutti/aiModels.json (its content)",
			Source: "flag -aiModels", State: adminapi.ReloadRestart},
	}}
)
