# frozen_string_literal: true

module Assay
  # The driver, or this harness, cannot do it. Everything else that is raised is a failure.
  class Unsupported < StandardError
  end

  # The request cannot be carried out as it is: something in it is missing or contradicts something else.
  class Malformed < StandardError
  end
end
