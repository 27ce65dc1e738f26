# frozen_string_literal: true

module Assay
  # CRC-32 of the first four values of each row: joined by tabs, ended by a newline.
  module Checksum
    # Takes the rows of each answer, in the order of arrival.
    def self.of(answers)
      answers.reduce(0) { |sum, rows| rows.reduce(sum) { |so_far, row| Zlib.crc32(line(row), so_far) } }
    end

    def self.line(row)
      row.first(4).map { |value| text(value) }.join("\t") << "\n"
    end

    def self.text(value)
      case value
      when nil then '\N'
      when true then '1'
      when false then '0'
      else value.to_s
      end
    end
    private_class_method :line, :text
  end
end
