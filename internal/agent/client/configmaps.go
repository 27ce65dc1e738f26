package client

// configMaps is the client's access to the ConfigMaps of its trial.
type configMaps struct {
	api API
	// trial and result are names.
	trial, result string
	timeouts      Timeouts
	retry         retrier
}

func (a *Agent) retrier() retrier { return retrier{first: a.Retry, most: a.RetryMax, log: a.Log} }

func (a *Agent) configMaps() configMaps {
	return configMaps{api: a.API, trial: a.Trial, result: a.Result, timeouts: a.Timeouts, retry: a.retrier()}
}
