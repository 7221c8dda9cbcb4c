package config

// ServiceFile is the configuration of the packages' service. Tools that are
// given no node use this one's, because it is the machine's node.
const ServiceFile = "/etc/tutti/tutti.conf"

// ServiceDataDir returns where that service keeps its state; "" where there is no such file,
// or this user may not read it.
func ServiceDataDir(readFile func(path string) ([]byte, error)) string {
	in := Input{ReadFile: readFile}
	content, err := in.read(ServiceFile)
	if err != nil {
		return ""
	}
	found, _, _ := parseFile(ServiceFile, content, index(table())) // the caller reports its mistakes
	if all := found["dataDir"]; len(all) > 0 {
		return all[len(all)-1].value
	}
	return ""
}
