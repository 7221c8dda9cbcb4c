package adminapi

// PathReload reloads the configuration; with QueryDryRun "true" it only reports changes.
const PathReload = Prefix + "/reload"

// What becomes of a difference in the configuration.
const (
	// ReloadApplied is in force now.
	ReloadApplied = "applied"
	// ReloadPending would be in force, had this not been a dry run.
	ReloadPending = "pending"
	// ReloadRestart is in force after the next start.
	ReloadRestart = "restart"
)

// Reloaded is the result of reloading the configuration.
type Reloaded struct {
	DryRun bool `json:"dryRun"`
	// Changes are the options that differ from what is in force, and files of theirs
	// whose content does. It is empty where nothing changed.
	Changes []ReloadChange `json:"changes"`
	// Restart says that something is only in force after a restart or an upgrade.
	Restart bool `json:"restart"`
}

// ReloadChange is an option with another value, or with a file that has changed.
type ReloadChange struct {
	// Option is the flag's name, without a dash.
	Option string `json:"option"`
	// Old and New are the values; secrets are masked.
	Old string `json:"old"`
	New string `json:"new"`
	// Source is where the new value comes from: "flag -v", "env TUTTI_V", "tutti.conf:3".
	Source string `json:"source"`
	// State is ReloadApplied, ReloadPending or ReloadRestart.
	State string `json:"state"`
}
