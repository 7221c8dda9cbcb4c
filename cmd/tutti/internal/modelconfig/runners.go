package modelconfig

import (
	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/ai/models"
)

// Entries returns the models file's entries as the manager takes them.
func Entries(list *models.Config, verbose bool) []manager.Entry {
	entries := manager.Entries(list)
	for i := range entries {
		if verbose && entries[i].URL == "" {
			entries[i].Env = append(entries[i].Env, models.NewSetting("VERBOSE_LOGGING", "1"))
		}
	}
	return entries
}
