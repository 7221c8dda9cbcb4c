package config

// ServiceFile is the configuration of the packages' service. Tools that were told
// nothing about a node take this one's, because it is the node of the machine.
const ServiceFile = "/etc/tutti/tutti.conf"

// ServiceDataDir is where that service keeps its state; "" where there is no such file,
// or this user may not read it.
func ServiceDataDir(readFile func(path string) ([]byte, error)) string {
	in := Input{ReadFile: readFile}
	content, err := in.read(ServiceFile)
	if err != nil {
		return ""
	}
	found, _, _ := parseFile(ServiceFile, content, index(table())) // its mistakes are told by who runs it
	if all := found["dataDir"]; len(all) > 0 {
		return all[len(all)-1].value
	}
	return ""
}
