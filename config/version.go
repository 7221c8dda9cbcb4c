package config

import (
	"fmt"
	"runtime"
)

// VersionText returns what -version prints: four lines with the labels that scripts
// look for.
func VersionText(version string) string {
	return fmt.Sprintf("Livepeer Node Version: %s\n"+
		"Golang runtime version: %s %s\n"+
		"Architecture: %s\n"+
		"Operating system: %s\n",
		version, runtime.Compiler, runtime.Version(), runtime.GOARCH, runtime.GOOS)
}
