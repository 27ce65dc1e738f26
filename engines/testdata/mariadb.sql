SET SESSION sql_mode = '';
SET NAMES utf8mb4;
SET SESSION sql_log_bin = 0;
CREATE DATABASE IF NOT EXISTS `as``s_y%`;
DELETE FROM mysql.global_priv WHERE User = '' OR (User = 'root' AND Host <> 'localhost');
FLUSH PRIVILEGES;
CREATE USER IF NOT EXISTS 'o\'ne\\'@'%' IDENTIFIED BY 'p\'; DROP DATABASE mysql; --\n\\\0"';
ALTER USER 'o\'ne\\'@'%' IDENTIFIED BY 'p\'; DROP DATABASE mysql; --\n\\\0"';
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER ON `as``s\_y\%`.* TO 'o\'ne\\'@'%';
