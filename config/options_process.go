package config

func processRows() []option {
	return []option{
		{name: "version", mark: "B M", flagOnly: true, help: "print the version and the platform, then exit",
			to: func(c *Config) value { return boolean(&c.Process.Version) }},
		{name: "help", aliases: []string{"h"}, mark: "T", flagOnly: true, help: "print the options, then exit",
			to: func(c *Config) value { return boolean(&c.Process.Help) }},
		{name: "j", mark: "A", field: "JsonFlags", flagOnly: true, help: "print the options as JSON, then exit",
			to: func(c *Config) value { return boolean(&c.Process.ShowFlags) }},
		{name: "config", mark: "M",
			help: "configuration file: one option per line, key, space, value; # begins a comment",
			to:   func(c *Config) value { return path(&c.Process.File) }},
		{name: "v", field: "Verbosity", mark: "M", preset: "3",
			help: "how much is logged, 0 to 10: 3 normal, 4 short debug, 5 debug, 6 verbose; more counts as 10",
			to:   func(c *Config) value { return verbosity(&c.Logging.Verbosity) }},
		{name: "vmodule", mark: "A", help: "log verbosity of single source files, pattern=N,…",
			to: func(c *Config) value { return vmodule(&c.Logging.VModule) }},
		{name: "log_dir", field: "LogDir", mark: "A", help: "directory for log files, used with -logtostderr=false",
			to: func(c *Config) value { return path(&c.Logging.Dir) }},
		{name: "logtostderr", field: "LogToStderr", mark: "A", preset: "true",
			help: "log to standard error and not to files",
			to:   func(c *Config) value { return boolean(&c.Logging.ToStderr) }},
		{name: "logFormat", mark: "T", preset: "text",
			help: "how log lines are written: text as the existing node's, or json",
			to:   func(c *Config) value { return choice(&c.Logging.Format, "text", "json") }},
		{name: "alsologtostderr", field: "AlsoLogToStderr", mark: "A", preset: "false",
			help: "log to standard error as well as to files",
			to:   func(c *Config) value { return boolean(&c.Logging.AlsoToStderr) }},
	}
}

func roleRows() []option {
	return []option{
		{name: "orchestrator", mark: "B M", help: "take work from gateways; needs -transcoder in the same process",
			to: func(c *Config) value { return boolean(&c.Roles.Orchestrator) }},
		{name: "transcoder", mark: "B M",
			help: "transcode; with -orchestrator in one process, alone for a remote orchestrator",
			to:   func(c *Config) value { return boolean(&c.Roles.Transcoder) }},
		{name: "gateway", former: []string{"broadcaster"}, mark: "G",
			help: "take streams from clients and give the work to orchestrators",
			to:   func(c *Config) value { return boolean(&c.Roles.Gateway) }},
		{name: "aiWorker", mark: "M",
			help: "run AI models; with -orchestrator in one process, alone for a remote orchestrator",
			to:   func(c *Config) value { return boolean(&c.Roles.AIWorker) }},
		{name: "redeemer", mark: "A", help: "redeem winning tickets for several orchestrators",
			to: func(c *Config) value { return boolean(&c.Roles.Redeemer) }},
		{name: "reward", onchain: true, mark: "B M", unset: "on when the account is registered",
			help: "call reward once per round; alone, a process that does only that",
			to:   func(c *Config) value { return switchable(&c.Roles.Reward) }},
		{name: "initializeRound", onchain: true, mark: "A",
			help: "initialize new rounds; alone, a process that does only that",
			to:   func(c *Config) value { return boolean(&c.Roles.InitializeRound) }},
		{name: "router", mark: "A",
			help: "answer gateways for the orchestrators of -orchAddr: each is sent to the one with the most free " +
				"capacity",
			to: func(c *Config) value { return boolean(&c.Roles.Router) }},
		{name: "remoteSigner", mark: "G", help: "sign payments for gateways",
			to: func(c *Config) value { return boolean(&c.Roles.RemoteSigner) }},
	}
}
