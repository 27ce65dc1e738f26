package accept

import (
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/engines/mysql"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/runners/runner"
)

// catalogue with one tool, MySQL 8.4 and an image for each.
func catalogue(tool runner.Runner) experiment.Catalogue {
	c := config.Default()
	c.Agent.Image = "agent:1"
	c.Runners = map[string]config.Image{tool.Name: {Image: tool.Name + ":1"}}
	c.Engines = map[string]map[string]config.Image{"MySQL": {"8.4": {Image: "mysql:8.4"}}}
	return experiment.Catalogue{
		Tool: func(name string) (runner.Runner, bool) { return tool, name == tool.Name },
		Engine: func(flavor string) (engine.Engine, bool) {
			e := mysql.Engine()
			return e, flavor == e.Flavor
		},
		Config: c,
	}
}
